#pragma once
// GET /api/v1/certificates: every certificate in force.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/certificate_rows.hpp"
#include "headgate/admin/operator_board.hpp"

#include <functional>
#include <vector>

namespace headgate::admin {

/// `ask` is called on the main thread. All outlive the admin interface.
AdminEndpoint certificates_endpoint(OperatorBoard& operators, std::function<std::vector<CertificateRow>()> ask);

}  // namespace headgate::admin

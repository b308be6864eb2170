#pragma once
// GET /api/v1/certificates: every certificate in force.

#include "certificate_rows.hpp"
#include "operator_board.hpp"

#include "headgate/server/admin_endpoints.hpp"

#include <functional>
#include <vector>

namespace headgate::server {

/// `ask` is called on the main thread. All outlive the admin interface.
AdminEndpoint certificates_endpoint(OperatorBoard& operators, std::function<std::vector<CertificateRow>()> ask);

}  // namespace headgate::server

#pragma once
// GET /api/v1/certificates: every certificate in force.

#include "server/admin/operator_board.hpp"
#include "server/watch/certificate_rows.hpp"

#include "headgate/server/admin_endpoints.hpp"

#include <functional>
#include <vector>

namespace headgate::server {

/// `ask` is called on the main thread. All outlive the admin interface.
AdminEndpoint certificates_endpoint(OperatorBoard& operators, std::function<std::vector<CertificateRow>()> ask);

}  // namespace headgate::server

#include "admin/endpoint_groups.hpp"

#include <cstdint>
#include <utility>

namespace headgate::admin {
namespace {

constexpr std::uint64_t kMaxPolicy = std::uint64_t{4} << 20U;

}  // namespace

AdminEndpoint simulate_endpoint(std::function<void(std::string config, AdminEndpoint::Give give)> simulate) {
  return {.method = "POST",
          .path = "/api/v1/simulate",
          .most_body = kMaxPolicy,
          .answer_later =
              [simulate = std::move(simulate)](const AdminCall& call, const AdminEndpoint::Give& give) {
                // A configuration names files, and an error message may show what is in them.
                if (call.role == AdminRole::reader)
                  return give({.status = 403, .body = "This token may only read, and a configuration names files."});
                if (call.body.empty()) return give({.status = 400, .body = "Send a configuration."});
                simulate(call.body, give);
              },
          .reads = true,
          .about = {.summary = "Try a policy on the last minutes of live traffic: which requests it would reject, and "
                               "which it would allow",
                    .body = "PolicyText",
                    .answer = "Simulated"}};
}

}  // namespace headgate::admin

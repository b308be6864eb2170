#include "max_forwards.hpp"

#include "gateway/answers/respond.hpp"
#include "gateway/callers/find_client.hpp"

#include <charconv>
#include <limits>

namespace headgate::gateway {
namespace {

using http::Known;

struct HopsLeft {
  bool present = false;  // whether the request has the field
  bool valid = true;     // whether it is a single number
  std::uint64_t left = 0;
};

HopsLeft hops_left(const http::Fields& fields) noexcept {
  HopsLeft out;
  for (const auto& field : fields) {
    if (field.id != Known::max_forwards) continue;
    const auto* const end = field.value.data() + field.value.size();
    const auto [stop, error] = std::from_chars(field.value.data(), end, out.left);
    if (error == std::errc::result_out_of_range) out.left = std::numeric_limits<std::uint64_t>::max();
    out.valid = !out.present && stop == end && error != std::errc::invalid_argument;
    out.present = true;
    if (!out.valid) break;
  }
  return out;
}

/// The parts of the request that a trace needs: its line, Host, Via and Max-Forwards. No cookies, no credentials.
std::string message_of(const Exchange& x) {
  std::string out(x.request.method);
  out.append(" ")
      .append(x.request.target)
      .append(x.request.version == 10   ? " HTTP/1.0\r\n"
              : x.request.version == 20 ? " HTTP/2.0\r\n"
                                        : " HTTP/1.1\r\n");
  for (const auto& field : x.request.fields) {
    if (field.id != Known::host && field.id != Known::via && field.id != Known::max_forwards) continue;
    out.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  return out += "\r\n";
}

}  // namespace

bool ends_here(const Exchange& x) noexcept {
  if (!counts_hops(x.request.method)) return false;
  const auto hops = hops_left(x.request.fields);
  return hops.present && (!hops.valid || hops.left == 0);
}

std::optional<Problem> problem_of_last(const Exchange& x) {
  if (hops_left(x.request.fields).valid) return {};
  return Problem{.status = 400, .ended_by = EndedBy::bad_request, .detail = "Max-Forwards is not one number."};
}

unsigned status_of_last(const Exchange& x) noexcept { return x.request.method == "TRACE" ? 200 : 204; }

Task<std::optional<Problem>> answer_as_last(Exchange& x, RejectionHeaders style) {
  if (auto problem = problem_of_last(x)) co_return problem;
  Respond answer{status_of_last(x), {}, {}};
  if (x.request.method == "TRACE") {
    answer.body = message_of(x);
    answer.content_type = "message/http";
  } else {
    // No route has the empty method, so find() returns the methods that there are.
    const auto found = x.snapshot->compiled->router().find({.authority = x.request.host,
                                                            .path = x.request.path,
                                                            .method = {},
                                                            .fields = &x.request.fields,
                                                            .query = x.request.query,
                                                            .client = client_for_routes(x)});
    x.allowed_methods = found.route ? std::string(kDefaultMethods) : found.allowed;
    x.fields.push_back({Known::allow, "Allow", x.allowed_methods});
  }
  co_return co_await respond<AnswerFrom::gateway>(x, answer, style);
}

void count_hop(Exchange& x, http::Fields& fields) {
  const auto hops = hops_left(x.request.fields);
  for (auto& field : fields) {
    if (field.id == Known::max_forwards) field.value = x.text.number(hops.left - 1);
  }
}

}  // namespace headgate::gateway

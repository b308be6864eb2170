#include "max_forwards.hpp"

#include "respond.hpp"

#include <charconv>
#include <limits>

namespace headgate::gateway {
namespace {

using http::Known;

struct HopsLeft {
  bool told = false;  // whether there is such a field at all
  bool valid = true;  // and it is one number
  std::uint64_t left = 0;
};

HopsLeft hops_left(const http::Fields& fields) noexcept {
  HopsLeft out;
  for (const auto& field : fields) {
    if (field.id != Known::max_forwards) continue;
    const auto* const end = field.value.data() + field.value.size();
    const auto [stop, error] = std::from_chars(field.value.data(), end, out.left);
    if (error == std::errc::result_out_of_range) out.left = std::numeric_limits<std::uint64_t>::max();
    out.valid = !out.told && stop == end && error != std::errc::invalid_argument;
    out.told = true;
    if (!out.valid) break;
  }
  return out;
}

/// Of the message only what a trace is for: where it went, and how it arrived. Not cookies, not credentials.
std::string message_of(const Exchange& x) {
  std::string out(x.request.method);
  out.append(" ").append(x.request.target).append(x.request.version == 10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
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
  return hops.told && (!hops.valid || hops.left == 0);
}

Task<std::optional<Problem>> answer_as_last(Exchange& x, RejectionHeaders style) {
  if (!hops_left(x.request.fields).valid)
    co_return Problem{.status = 400, .ended_by = EndedBy::bad_request, .detail = "Max-Forwards is not one number."};
  Respond answer{204, {}, {}};
  if (x.request.method == "TRACE") {
    answer = {200, message_of(x), "message/http"};
  } else {
    // No method is called so: this asks for those that there are.
    const auto found = x.snapshot->compiled->router().find(x.request.host, x.request.path, {});
    x.allowed_methods = found.route ? std::string(kDefaultMethods) : found.allowed;
    x.fields.push_back({Known::allow, "Allow", x.allowed_methods});
  }
  co_return co_await respond(x, answer, style);
}

void count_hop(Exchange& x, http::Fields& fields) {
  const auto hops = hops_left(x.request.fields);
  for (auto& field : fields) {
    if (field.id == Known::max_forwards) field.value = x.text.number(hops.left - 1);
  }
}

}  // namespace headgate::gateway

#include "max_forwards.hpp"

#include <charconv>
#include <limits>

namespace headgate::gateway {
namespace {

using http::Known;

struct HopsLeft {
  bool present = false;  // whether the request has the field
  bool valid = true;     // whether there is only one such field, with a number
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

}  // namespace

bool ends_here(const Exchange& x) noexcept {
  if (!counts_hops(x.request.method)) return false;
  const auto hops = hops_left(x.request.fields);
  return hops.present && (!hops.valid || hops.left == 0);
}

std::optional<Problem> problem_of_last(const Exchange& x) {
  if (hops_left(x.request.fields).valid) return {};
  return Problem{.status = 400,
                 .ended_by = EndedBy::bad_request,
                 .detail = "Max-Forwards is not a number, or is sent more than once."};
}

unsigned status_of_last(const Exchange& x) noexcept { return x.request.method == "TRACE" ? 200 : 204; }

void count_hop(Exchange& x, http::Fields& fields) {
  const auto hops = hops_left(x.request.fields);
  for (auto& field : fields) {
    if (field.id == Known::max_forwards) field.value = x.text.number(hops.left - 1);
  }
}

}  // namespace headgate::gateway

#include "real_ip.hpp"

#include "node.hpp"

#include <utility>

namespace headgate::identity {

std::optional<AddressBits> RealIp::next() noexcept {
  const auto fields = std::exchange(fields_, {});
  if (fields.size() != 1) return std::nullopt;
  return parse_entry(fields.front());
}

}  // namespace headgate::identity

#include "headgate/limit/block_lengths.hpp"

#include "headgate/core/whole_number.hpp"

namespace headgate::limit {

void BlockLengths::note(std::string_view block) noexcept {
  const auto slash = block.rfind('/');
  if (slash == std::string_view::npos) return;
  const bool v4 = block.substr(0, slash).find(':') == std::string_view::npos;
  const auto length = whole_number(block.substr(slash + 1), 0U, v4 ? 32U : 128U);
  if (length) (v4 ? v4_ : v6_)[*length / 64].fetch_or(std::uint64_t{1} << *length % 64, std::memory_order_relaxed);
}

}  // namespace headgate::limit

#include "headgate/limit/block_lengths.hpp"

#include <charconv>

namespace headgate::limit {

void BlockLengths::note(std::string_view block) noexcept {
  const auto slash = block.rfind('/');
  if (slash == std::string_view::npos) return;
  const bool v4 = block.substr(0, slash).find(':') == std::string_view::npos;
  unsigned length = 0;
  const auto* const end = block.data() + block.size();
  const auto [stop, error] = std::from_chars(block.data() + slash + 1, end, length);
  if (error != std::errc() || stop != end || length > (v4 ? 32U : 128U)) return;
  (v4 ? v4_ : v6_)[length / 64].fetch_or(std::uint64_t{1} << length % 64, std::memory_order_relaxed);
}

}  // namespace headgate::limit

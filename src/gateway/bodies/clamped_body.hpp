#pragma once
// Lowers the maximum of output that a request sets in its body.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct Cost;
struct Exchange;

/// Returns whether the maximum of output that the hold of `cost` reads can be lowered or added: the body is one
/// document of JSON, no two servers could read it differently, and the maximum is a number, null, or absent at a place
/// where a member can be added.
bool can_clamp(const Exchange& x, const Cost& cost) noexcept;

/// A change of a body: `text` replaces `size` bytes at `at`.
struct BodyEdit {
  std::size_t at = 0;
  std::size_t size = 0;
  std::string text;
};

/// Returns the changes after which the body allows no more than x.clamped tokens of output for each answer, from the
/// last place to the first. Places are those in `bytes`, the held body. Call it only if can_clamp() was true.
std::vector<BodyEdit> clamping_edits(const Exchange& x, std::string_view bytes);

}  // namespace headgate::gateway

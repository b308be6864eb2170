#pragma once
// Changes of a request's body: a smaller maximum of output, and another model.

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

/// Returns whether another model can be written into the body: the body was read, is one document of JSON that no two
/// servers could read differently, and names a model.
bool can_change_model(const Exchange& x) noexcept;

/// A change of a body: `text` replaces `size` bytes at `at`.
struct BodyEdit {
  std::size_t at = 0;
  std::size_t size = 0;
  std::string text;
};

/// Returns the changes of the body, from the last place to the first. Places are those in `bytes`, the held body. With
/// x.clamped, the body then allows no more than that many tokens of output for each answer; can_clamp() must have been
/// true. With Route::model, the body then names that model, if can_change_model(). The body was read.
std::vector<BodyEdit> body_edits(const Exchange& x, std::string_view bytes);

}  // namespace headgate::gateway

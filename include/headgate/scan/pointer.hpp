#pragma once
// JSON pointers (RFC 6901), and the set of pointers that a scan looks for.

#include "headgate/core/literals.hpp"
#include "headgate/core/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::scan {

/// Maximum number of pointers of one set.
inline constexpr std::size_t kMaxPointers = 64;
/// Maximum number of steps of a pointer.
inline constexpr std::size_t kMaxSteps = 16;
/// Maximum length of a step, in bytes.
inline constexpr std::size_t kMaxStepBytes = 80;

/// A JSON pointer. The step "*" is an extension: it matches every member of an object and every element of an array, so
/// no pointer names a member "*".
struct Pointer {
  std::vector<std::string> steps;
  bool operator==(const Pointer&) const = default;
};

/// Parses "", "/model" or "/a~1b/0" ("~1" is a slash and "~0" a tilde). At most kMaxSteps steps of at most
/// kMaxStepBytes bytes.
Result<Pointer, LiteralError> parse_pointer(std::string_view text);
/// Returns the pointer as text; parse_pointer() returns the same pointer for it.
std::string to_text(const Pointer& pointer);
/// Returns whether a step is "*", so that the pointer can match several values.
bool matches_many(const Pointer& pointer) noexcept;

/// The part of a body that a pointer takes.
enum class Take : std::uint8_t {
  value,  ///< the value at the pointer; the last one if there are several
  text,   ///< the summed length, in bytes of decoded text, of all strings at the pointer, over all documents
};

/// The pointers that a scan looks for. Filled at startup; afterwards constant, and shared by threads. Must outlive all
/// scans that were begun with it.
class Pointers {
 public:
  /// The index of a pointer that could not be added. Scan::found() is always `absent` for it.
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Adds a pointer and returns its index, which counts from 0. The same pointer and `take` twice have the same index.
  /// Returns kNone if the set is full, or if the pointer exceeds kMaxSteps or kMaxStepBytes.
  std::size_t add(const Pointer& pointer, Take take);
  std::size_t size() const noexcept { return pointers_.size(); }
  bool empty() const noexcept { return pointers_.empty(); }
  /// Returns the pointer of an index below size().
  const Pointer& pointer(std::size_t index) const noexcept { return pointers_[index]; }
  Take take(std::size_t index) const noexcept { return takes_[index]; }

  /// A step that some pointers have at the same place. Sets of pointers are bits: pointer i is bit i.
  struct Name {
    std::string step;
    std::string folded;          ///< the step as it is compared without case
    std::uint64_t key = 0;       ///< a number of `folded` that is compared first
    std::uint64_t pointers = 0;  ///< the pointers with this step
    std::int64_t element = -1;   ///< the index of an array that the step means; -1 if it is none
    std::string fields_folded;   ///< the same as `folded` for fields of forms
  };
  /// The steps of all pointers at one place.
  struct Level {
    std::uint64_t end = 0;       ///< the pointers that have no step here: they mean the value itself
    std::uint64_t all = 0;       ///< the pointers whose step here is "*"
    std::uint64_t elements = 0;  ///< the pointers whose step here can be the index of an array
    std::uint64_t filter = 0;    ///< a bit for each name, by its key
    std::vector<Name> names;
  };
  const Level& level(std::size_t place) const noexcept { return levels_[place]; }
  /// Returns all pointers.
  std::uint64_t everything() const noexcept;

 private:
  std::vector<Pointer> pointers_;
  std::vector<Take> takes_;
  std::array<Level, kMaxSteps + 1> levels_;
};

}  // namespace headgate::scan

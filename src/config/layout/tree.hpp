#pragma once
// A JSON text with everything that its author has chosen: comments, line breaks and gaps. Only the layout uses this
// tree; the checker uses the tree in document.hpp.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// The largest length of a line, in characters.
inline constexpr std::size_t kLayoutWidth = 120;

/// A comment on lines of its own.
struct OwnComment {
  std::string text;
  std::size_t column = 0;  ///< column of its first character
  bool after_blank = false;
};

/// A comment that follows other text on its line.
struct TailComment {
  std::string text;
  /// whether more than two blanks precede the comment, which means that the author aligns comments
  bool apart = false;
};

struct LayoutItem;

struct LayoutValue {
  std::string raw;  ///< text as written; empty for a container
  char open = 0;    ///< '{' or '['; 0 if the value is not a container
  std::vector<LayoutItem> items;
  std::optional<TailComment> after_open;
  std::vector<OwnComment> before_close;
  bool flat = true;  ///< whether the author has written the value on one line, and there is room for it on one line
  std::size_t width = 0;  ///< width of a flat value, in characters
};

/// A member of an object or an element of a list.
struct LayoutItem {
  std::vector<OwnComment> before;
  std::string beside;  ///< comments before the item on its line
  std::string key;     ///< key as written; empty in a list
  LayoutValue value;
  std::string behind;  ///< comments between the item and its comma
  std::optional<TailComment> tail;
  bool after_blank = false;
  bool starts_line = false;
  bool comma = false;      ///< whether a comma follows; the last item may have one, too
  bool key_apart = false;  ///< whether more than one blank follows the colon, which means that the author aligns values
  /// whether more than one blank precedes the item on its line, which means that the author aligns columns
  bool item_apart = false;
};

/// The whole text.
struct LayoutText {
  LayoutItem root;
  std::vector<OwnComment> after;
};

/// Returns the width of `text`, in characters.
std::size_t layout_width(std::string_view text) noexcept;

/// Returns the width of a flat item, including its comments but not its comma.
std::size_t flat_width(const LayoutItem& item) noexcept;

/// Reads the tree of `source`, which must be free of mistakes.
LayoutText read_layout(std::string_view source);

/// The tokens and comments of a text; blanks are left out. A layout must not change them.
struct LayoutContent {
  std::vector<std::string> tokens;
  std::vector<std::string> comments;
  bool operator==(const LayoutContent&) const = default;
};
LayoutContent content_of(std::string_view source);

/// The alignment of the items of one container.
struct Alignment {
  std::vector<std::size_t> behind_key;  ///< for each item, the number of extra blanks behind its colon
  /// for each item that is a row, the number of extra blanks before each of its items
  std::vector<std::vector<std::size_t>> columns;
};
/// Returns how the items of `container` are aligned. `column` is the column at which the items begin. `all_start` says
/// whether each item begins a line.
Alignment align(const LayoutValue& container, std::size_t column, bool all_start);

/// Writes the text in one pass. The result is final only if a further pass would not change it.
std::string write_layout(const LayoutText& text);

}  // namespace headgate::config

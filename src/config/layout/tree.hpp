#pragma once
// A JSON text with all that its author has chosen: comments, line breaks, gaps. For the layout alone; document.hpp is
// what is checked.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// The longest line, in characters.
inline constexpr std::size_t kLayoutWidth = 120;

/// A comment on lines of its own.
struct OwnComment {
  std::string text;
  std::size_t column = 0;  ///< of its first character
  bool after_blank = false;
};

/// A comment behind something else on its line.
struct TailComment {
  std::string text;
  bool apart = false;  ///< whether more than two blanks are before it: its author aligns comments
};

struct LayoutItem;

struct LayoutValue {
  std::string raw;  ///< as written; of a container empty
  char open = 0;    ///< '{' or '['; 0: no container
  std::vector<LayoutItem> items;
  std::optional<TailComment> after_open;
  std::vector<OwnComment> before_close;
  bool flat = true;       ///< whether its author has written it on one line, and it can stay there
  std::size_t width = 0;  ///< of a flat one
};

/// A member of an object or an element of a list.
struct LayoutItem {
  std::vector<OwnComment> before;
  std::string beside;  ///< comments before it on its line
  std::string key;     ///< as written; empty in a list
  LayoutValue value;
  std::string behind;  ///< comments between it and its comma
  std::optional<TailComment> tail;
  bool after_blank = false;
  bool starts_line = false;
  bool comma = false;       ///< the last one may have one, too
  bool key_apart = false;   ///< whether more than one blank is behind its colon: its author aligns values
  bool item_apart = false;  ///< whether more than one blank is before it on its line: its author aligns columns
};

/// The whole text.
struct LayoutText {
  LayoutItem root;
  std::vector<OwnComment> after;
};

/// In characters.
std::size_t layout_width(std::string_view text) noexcept;

/// Of an item that is flat: with its comments and without its comma.
std::size_t flat_width(const LayoutItem& item) noexcept;

/// `source` must be without mistakes.
LayoutText read_layout(std::string_view source);

/// The tokens, and the comments without their blanks: what a layout must not change.
struct LayoutContent {
  std::vector<std::string> tokens;
  std::vector<std::string> comments;
  bool operator==(const LayoutContent&) const = default;
};
LayoutContent content_of(std::string_view source);

/// How the items of one container are aligned.
struct Alignment {
  std::vector<std::size_t> behind_key;            ///< blanks more than one behind the colon of each item
  std::vector<std::vector<std::size_t>> columns;  ///< of each item that is a row: blanks more than one before its items
};
/// `column`: where the items begin. `all_start`: whether each item begins a line.
Alignment align(const LayoutValue& container, std::size_t column, bool all_start);

/// One pass; the layout is what further passes do not change.
std::string write_layout(const LayoutText& text);

}  // namespace headgate::config

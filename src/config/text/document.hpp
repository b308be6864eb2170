#pragma once
// A JSON text as a tree. Every key and value knows its place in the text.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

class Report;

/// Bytes [begin, end) of the source.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// `broken` marks a value that could not be parsed. It is already reported and may be of any type.
enum class Kind { null, boolean, number, string, list, object, broken };

/// A value and, in an object, its key. Owned by its Document and never moved.
struct Node {
  Kind kind = Kind::broken;
  Span span;  ///< of the value
  std::string key;
  Span key_span;
  std::string text;       ///< of a string: placeholders replaced; of a number: as written
  std::string written;    ///< of a string: before placeholders were replaced; messages may show it
  bool replaced = false;  ///< whether `text` came from a placeholder, and may be secret
  const Node* parent = nullptr;
  std::size_t index = 0;  ///< among its parent's children
  std::vector<Node*> children;
};

/// Owns the nodes. Movable; nodes stay where they are.
struct Document {
  std::deque<Node> nodes;
  Node* root = nullptr;  ///< null if the text has no value at all
};

/// The first member called `key`. Null if there is none, or if `object` is null or not an object.
const Node* find(const Node* object, std::string_view key);

/// RFC 6901 path from the root.
std::string pointer(const Node& node);

struct Parsed {
  Document document;
  bool complete = false;  ///< whether the tree holds the whole text; if not, report only syntax errors
};

/// Reports every syntax error and every duplicate key. Accepts at most 64 MiB and 64 levels.
Parsed parse(std::string_view text, Report& report);

}  // namespace headgate::config

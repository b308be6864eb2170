#pragma once
// A JSON text as a tree, in which every key and value has its place in the text.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

class Report;

/// The bytes [begin, end) of the source.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The type of a value. `broken` is a value that could not be parsed; its error has already been reported.
enum class Kind { null, boolean, number, string, list, object, broken };

/// A value and, in an object, its key. The Document owns the node and never moves it in memory.
struct Node {
  Kind kind = Kind::broken;
  Span span;  ///< place of the value
  std::string key;
  Span key_span;
  std::string text;     ///< for a string, its text after placeholders were replaced; for a number, its text as written
  std::string written;  ///< for a string, its text before placeholders were replaced; messages may show it
  bool replaced = false;  ///< whether part of `text` came from a placeholder and may be secret
  const Node* parent = nullptr;
  std::size_t index = 0;  ///< position among the children of its parent
  std::vector<Node*> children;
};

/// A parsed text, which owns its nodes. If it is moved, the nodes keep their addresses.
struct Document {
  std::deque<Node> nodes;
  Node* root = nullptr;  ///< null if the text has no value
};

/// Returns the first member called `key`; null if there is none, or if `object` is null or not an object.
const Node* find(const Node* object, std::string_view key);

/// Returns the RFC 6901 path from the root to `node`.
std::string pointer(const Node& node);

struct Parsed {
  Document document;
  bool complete = false;  ///< whether the tree has the whole text; if not, only the syntax errors should be reported
};

/// Parses `text` and reports every syntax error and every duplicate key. Accepts at most 64 MiB and 64 levels.
Parsed parse(std::string_view text, Report& report);

}  // namespace headgate::config

#pragma once
// Parser of nginx's syntax: directives of words, and blocks of directives.

#include "source_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

struct Directive {
  std::string name;
  std::vector<std::string> words;  ///< words after the name, without quotes and escapes
  Spot spot;
  bool has_block = false;
  std::vector<Directive> block;

  /// Returns the word at `index`, or an empty text.
  std::string_view word(std::size_t index) const noexcept {
    return index < words.size() ? std::string_view(words[index]) : std::string_view();
  }
  /// Returns the directive as written, on one line and without its block.
  std::string text() const;
};

/// Parses a file. `include` directives stay in place. `count` is the number of directives read so far, in all files.
/// Throws Unreadable.
std::vector<Directive> read_nginx(const std::string& text, const std::string& file, std::size_t& count);

/// Replaces each `include` by the directives of its files. Relative paths start at the folder of `file`, the main file.
/// The `include` of a missing file stays in place. Throws Unreadable if files include each other, or if there are too
/// many.
void follow_includes(std::vector<Directive>& directives, const std::string& file, SourceFiles& files,
                     std::size_t& count);

}  // namespace headgate::translate

#pragma once
// nginx's syntax: directives with words, and blocks of them.

#include "source_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

struct Directive {
  std::string name;
  std::vector<std::string> words;  ///< behind the name, without quotes and escapes
  Spot spot;
  bool has_block = false;
  std::vector<Directive> block;

  /// The word at `index`, or empty.
  std::string_view word(std::size_t index) const noexcept {
    return index < words.size() ? std::string_view(words[index]) : std::string_view();
  }
  /// As the file has it, on one line, without the block.
  std::string text() const;
};

/// Reads a file of directives. `include` stays as it is. `count` is how many were read before, of all files. Throws
/// Unreadable.
std::vector<Directive> read_nginx(const std::string& text, const std::string& file, std::size_t& count);

/// Replaces each `include` by the directives of its files; relative names begin at the folder of `file`, the main one.
/// A file that is not there stays as an `include`. Throws Unreadable if files include each other, or too many.
void follow_includes(std::vector<Directive>& directives, const std::string& file, SourceFiles& files,
                     std::size_t& count);

}  // namespace headgate::translate

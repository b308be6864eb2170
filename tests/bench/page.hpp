#pragma once
// The part of a page of the documentation that a bench writes: between <!-- word --> and <!-- /word -->.

#include <string>

namespace headgate::bench {

/// That part. Throws std::runtime_error where the page has none.
std::string part_of(const std::string& page, const std::string& word);
/// `page` with this in its place; `part` ends with a line's end.
std::string with_part(const std::string& page, const std::string& word, const std::string& part);

}  // namespace headgate::bench

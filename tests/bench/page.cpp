#include "page.hpp"

#include <stdexcept>

namespace headgate::bench {

std::string part_of(const std::string& page, const std::string& word) {
  const auto mark = "<!-- " + word + " -->\n";
  const auto begin = page.find(mark);
  const auto end = page.find("<!-- /" + word + " -->\n");
  if (begin == page.npos || end == page.npos || end < begin)
    throw std::runtime_error("the page has no part \"" + word + "\"");
  return page.substr(begin + mark.size(), end - begin - mark.size());
}

std::string with_part(const std::string& page, const std::string& word, const std::string& part) {
  const auto old = part_of(page, word);
  const auto mark = "<!-- " + word + " -->\n";
  auto out = page;
  return out.replace(page.find(mark) + mark.size(), old.size(), part);
}

}  // namespace headgate::bench

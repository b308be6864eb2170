#pragma once
// Scans of whole and of cut bodies.

#include "headgate/scan/scan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::test {

/// A scan for some pointers. A pointer is one of values, or of lengths of text if "+" stands before it.
class Scanned {
 public:
  explicit Scanned(const std::vector<std::string>& pointers) {
    for (const auto& text : pointers) {
      const bool sum = text.starts_with('+');
      pointers_.add(*scan::parse_pointer(std::string_view(text).substr(sum ? 1 : 0)),
                    sum ? scan::Take::text : scan::Take::value);
    }
  }

  /// Scans a body in pieces that end at these offsets, and at its end.
  const scan::Scan& cut(std::string_view body, scan::Form form, const std::vector<std::size_t>& cuts) {
    scan_.begin(pointers_, form);
    std::size_t from = 0;
    for (const auto to : cuts) {
      // A copy, so that AddressSanitizer sees reads beyond the piece.
      const std::vector<char> piece(body.begin() + static_cast<std::ptrdiff_t>(from),
                                    body.begin() + static_cast<std::ptrdiff_t>(to));
      scan_.feed({piece.data(), piece.size()});
      from = to;
    }
    const std::vector<char> last(body.begin() + static_cast<std::ptrdiff_t>(from), body.end());
    scan_.feed({last.data(), last.size()});
    scan_.end();
    return scan_;
  }
  const scan::Scan& whole(std::string_view body, scan::Form form = scan::Form::json) { return cut(body, form, {}); }
  const scan::Found& first(std::string_view body, scan::Form form = scan::Form::json) {
    return whole(body, form).found(0);
  }

  /// Everything that the last scan found, as text.
  std::string told() const {
    std::string out = std::string(scan_.malformed() ? "malformed" : "well") + " documents " +
                      std::to_string(scan_.documents()) + " text " + std::to_string(scan_.text_bytes()) + " blocks " +
                      std::to_string(scan_.blocks()) + " elements " + std::to_string(scan_.elements());
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
      const auto& found = scan_.found(i);
      out += "\n" + std::to_string(static_cast<int>(found.kind)) + (found.repeated ? " repeated" : "") + " at " +
             std::to_string(found.at) + '+' + std::to_string(found.size) + (found.cut ? " cut " : " ") +
             std::to_string(found.number) + (found.truth ? " true " : " ") + std::string(found.text);
    }
    return out;
  }
  const scan::Scan& scan() const { return scan_; }

 private:
  scan::Pointers pointers_;
  scan::Scan scan_;
};

}  // namespace headgate::test

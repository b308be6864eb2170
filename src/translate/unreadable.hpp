#pragma once
// The exception that ends a translation. The readers throw it, and translate() catches it.

#include "headgate/translate/translate.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace headgate::translate {

class Unreadable : public std::runtime_error {
 public:
  Unreadable(Spot spot, std::string message, std::string help = {})
      : std::runtime_error(message), why_{std::move(spot), std::move(message), std::move(help)} {}

  const Untranslatable& why() const noexcept { return why_; }

 private:
  Untranslatable why_;
};

}  // namespace headgate::translate

#pragma once
// What one hostile client of HTTP/2 can do. Tests do it to headgate, the bench to others as well.

#include "security/h2/frames.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headgate::test::h2 {

/// What becomes of its connections, as docs/http2.md says.
enum class Fate : std::uint8_t {
  ended,  ///< each reaches a bound and is ended
  held    ///< they may stay, as what they cost is bounded
};

struct Attack {
  std::string name;  ///< a word or some: a row of the page
  std::string does;  ///< the same for a reader who does not know the word
  Fate fate = Fate::ended;
  std::size_t at_once = 4;    ///< connections
  std::string settings = {};  ///< the payload of its SETTINGS
  Frames first = {};          ///< once on each connection
  Frames again = {};          ///< then without end; empty: the connection is held as it is
  bool slowly = false;        ///< `again` four times a second, and not as fast as it is taken
  bool reads = true;          ///< whether it takes what is sent to it
};

/// They want paths of security/h2/upstream.hpp.
const std::vector<Attack>& attacks();

}  // namespace headgate::test::h2

#pragma once
// What is done once for several turns of the loop. Sessions of HTTP/2 write so, for the answers of many streams.

#include <boost/intrusive/list.hpp>

namespace headgate::net {

/// One such call. Member of the object that it is for; unlinks itself when called or destroyed. Worker thread only.
class LateCall : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  using Action = void (*)(void* owner);
  LateCall(Action action, void* owner) noexcept : action_(action), owner_(owner) {}
  /// Whether it is still to come.
  bool asked() const noexcept { return is_linked(); }

 private:
  friend class Readiness;
  Action action_;
  void* owner_;
};

}  // namespace headgate::net

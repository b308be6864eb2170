#pragma once
// A call that is made once after several turns of the loop. With it, an HTTP/2 session writes the answers of many
// streams together.

#include <boost/intrusive/list.hpp>

namespace headgate::net {

/// A late call. A LateCall is a member of its owner, and unlinks itself when called or destroyed. Worker thread only.
class LateCall : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  using Action = void (*)(void* owner);
  LateCall(Action action, void* owner) noexcept : action_(action), owner_(owner) {}
  /// Returns whether the call is pending.
  bool asked() const noexcept { return is_linked(); }

 private:
  friend class Readiness;
  Action action_;
  void* owner_;
};

}  // namespace headgate::net

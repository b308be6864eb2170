#pragma once
// A call that is made once for several turns of the loop. HTTP/2 sessions write in such a call, for the answers of many
// streams together.

#include <boost/intrusive/list.hpp>

namespace headgate::net {

/// A late call, which is a member of the object that it is made for. Unlinks itself when called or destroyed. Worker
/// thread only.
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

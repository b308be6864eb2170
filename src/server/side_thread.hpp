#pragma once
// A thread beside the main thread, for long work for which no thread waits: meanwhile, the main thread watches servers
// and workers serve.
//
// Reading, checking and compiling a configuration (ready_config.hpp) use only their arguments and files, and their
// result is immutable. The result is passed to the main thread as one object, by a post to its loop. Everything that
// belongs to the main thread stays there: the active configuration, the keyring, reasons, sizes of servers, listeners.
// Old configurations are freed on the side thread, even if another thread drops the last reference.

#include <functional>
#include <memory>
#include <thread>

namespace headgate::server {

/// Runs tasks one after the other. Pointers from freed_here() may outlive this object.
class SideThread {
 public:
  SideThread();
  ~SideThread() { stop(); }
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  /// Runs `what`, which must not throw, soon; drops it if the thread is stopped before its turn. Returns false if it is
  /// stopped already. Any thread.
  bool run(std::function<void()> what) { return queue_->add(std::move(what), Queue::AtStop::drop); }
  /// Ends the thread. Waiting tasks of run() are dropped at once, on the thread that calls stop(). The running task is
  /// finished, and objects that wait to be freed are freed. Call it on one thread, which is not the side thread.
  void stop();

  /// Returns a pointer whose object is freed on the side thread, even if another thread drops the last reference. So
  /// neither a worker nor the main thread spends its time on freeing a million keys or a hundred thousand routes. After
  /// stop() the object is freed on the thread that drops it. Any thread.
  template <class T>
  std::shared_ptr<const T> freed_here(const T* what) const {
    return std::shared_ptr<const T>(what, [queue = queue_](const T* last) {
      if (!queue->add([last] { delete last; }, Queue::AtStop::run)) delete last;
    });
  }

 private:
  class Queue {
   public:
    Queue();
    ~Queue();
    enum class AtStop : bool { drop, run };
    bool add(std::function<void()> what, AtStop if_waiting);
    void stop();
    void work();  ///< runs until the end

   private:
    struct State;
    std::unique_ptr<State> state_;
  };

  const std::shared_ptr<Queue> queue_;
  std::thread thread_;
};

}  // namespace headgate::server

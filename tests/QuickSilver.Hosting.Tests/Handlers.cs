using System.Collections.Concurrent;

namespace QuickSilver.Hosting.Tests;

/// <summary>Handlers of hosted groups, and what they share with a test.</summary>
internal static class Handlers
{
    internal sealed class Seen
    {
        public ConcurrentQueue<string> Texts { get; } = new();

        public ConcurrentBag<object> Handlers { get; } = [];
    }

    internal sealed class FragileHandler(Seen seen) : IMessageHandler
    {
        public ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            seen.Handlers.Add(this);
            seen.Texts.Enqueue(message.GetString());
            return message.GetString() == "50" ? throw new InvalidOperationException("fifty") : default;
        }
    }

    internal sealed class SlowHandler(Seen seen) : IMessageHandler
    {
        public async ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            await Task.Delay(1, cancellationToken);
            seen.Texts.Enqueue(message.GetString());
        }
    }

    internal sealed class DisposableHandler(Seen seen) : IMessageHandler, IAsyncDisposable
    {
        public ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            seen.Texts.Enqueue(message.GetString());
            return default;
        }

        public ValueTask DisposeAsync()
        {
            seen.Texts.Enqueue("disposed");
            return default;
        }
    }

    internal sealed class BrokenHandler : IMessageHandler
    {
        public ValueTask HandleAsync(Message message, CancellationToken cancellationToken) =>
            throw new InvalidOperationException("broken");
    }

    internal sealed class Gate
    {
        public TaskCompletionSource Entered { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public TaskCompletionSource Open { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public ConcurrentQueue<string> Texts { get; } = new();
    }

    internal sealed class GatedHandler(Gate gate) : IMessageHandler
    {
        public async ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            gate.Entered.TrySetResult();
            await gate.Open.Task.WaitAsync(cancellationToken);
            gate.Texts.Enqueue(message.GetString());
        }
    }

    internal sealed class InlineCounter : IInlineMessageHandler
    {
        public int Count;

        public void Handle(in MessageRef message) => Interlocked.Increment(ref Count);
    }
}

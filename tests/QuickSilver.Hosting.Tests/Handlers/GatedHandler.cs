using System.Collections.Concurrent;

namespace QuickSilver.Hosting.Tests.Handlers;

/// <summary>Handles messages while its gate is open.</summary>
internal sealed class GatedHandler(Gate gate) : IMessageHandler
{
    public async ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
    {
        gate.Entered.TrySetResult();
        await gate.Open.Task.WaitAsync(cancellationToken);
        gate.Texts.Enqueue(message.GetString());
    }
}

/// <summary>What holds a <see cref="GatedHandler"/>.</summary>
internal sealed class Gate
{
    public TaskCompletionSource Entered { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public TaskCompletionSource Open { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ConcurrentQueue<string> Texts { get; } = new();
}

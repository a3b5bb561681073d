using QuickSilver.Loop;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Tests.Loop;

/// <summary>Keeps what it was asked to run; optionally does something more.</summary>
internal sealed class RecordingTarget(Action<object?, long>? more = null) : IRequestTarget
{
    public List<(object? Payload, long Argument)> Ran { get; } = [];

    public void Run(object? payload, long argument, Instant now)
    {
        Ran.Add((payload, argument));
        more?.Invoke(payload, argument);
    }
}

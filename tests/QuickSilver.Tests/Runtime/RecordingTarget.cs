using QuickSilver.Protocol.Core;
using QuickSilver.Runtime;

namespace QuickSilver.Tests.Runtime;

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

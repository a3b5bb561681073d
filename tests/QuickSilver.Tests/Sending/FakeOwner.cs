using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

/// <summary>A handle that ends on demand.</summary>
internal sealed class FakeOwner : ISendOwner
{
    public Exception? Reason { get; set; }

    public StagedGroup StagedGroup { get; } = new FakeGroup();

    public bool HasEnded => Reason is not null;

    public Exception EndException() => Reason!;
}

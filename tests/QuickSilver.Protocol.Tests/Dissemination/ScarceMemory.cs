using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>The memory of a process, which the test may use up: then no chunk can be made.</summary>
internal sealed class ScarceMemory : IMemoryBudget
{
    public bool IsUsedUp { get; set; }

    public bool IsTight => false;

    public void Add(long bytes)
    {
        if (IsUsedUp && bytes > 0) throw new OutOfMemoryException();
    }
}

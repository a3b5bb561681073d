using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

/// <summary>A way to the core that keeps what it gets.</summary>
internal sealed class FakeSendQueue : ISendQueue
{
    private readonly Lock _lock = new();

    public List<object> Requests { get; } = [];

    public List<object> Discarded { get; } = [];

    public int Advances { get; private set; }

    public bool IsClosed { get; set; }

    /// <summary>A group that enters elsewhere.</summary>
    public StagedGroup? Away { get; set; }

    public bool Serves(StagedGroup group) => group != Away;

    public bool TryEnqueue(StagedGroup group, object request)
    {
        lock (_lock)
        {
            if (!IsClosed) Requests.Add(request);
            return !IsClosed;
        }
    }

    public void Discard(object? request)
    {
        if (request is not null) Discarded.Add(request);
    }

    public void RequestAdvance() => Advances++;
}

using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

/// <summary>A group's way to the core that keeps what it gets.</summary>
internal sealed class FakeSendQueue : ISendQueue
{
    private readonly Lock _lock = new();

    public List<object> Requests { get; } = [];

    public List<object> Discarded { get; } = [];

    public int Advances { get; private set; }

    public bool IsClosed { get; set; }

    public bool TryEnqueue(object request)
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

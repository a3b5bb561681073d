namespace QuickSilver;

/// <summary>A feed registered with a group. See <see cref="GroupSender.RegisterFeed"/>.</summary>
public sealed class FeedRegistration : IDisposable
{
    internal FeedRegistration()
    {
    }

    /// <summary>Says that the feed has something to send; the first call starts it. Any thread; calls before the feed is asked are one.</summary>
    public void Signal() => throw new NotSupportedException();

    /// <summary>Takes the feed out. It may be asked once more by a turn that has begun.</summary>
    public void Dispose() => throw new NotSupportedException();
}

using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The registration of one stream's feed at the root: once, until the feed has nothing more. O(1). Core thread only.
/// </summary>
internal sealed class PullRequest(ISink roots)
{
    private IFeed? _feed;
    private bool _isRegistered;

    /// <summary>Sets the feed, once, before anything is requested.</summary>
    public void Begin(IFeed feed) => _feed = feed;

    /// <summary>Has the root ask the feed; nothing happens once <see cref="Close"/> was called.</summary>
    public void Request()
    {
        if (_isRegistered || _feed is null) return;
        _isRegistered = true;
        roots.Register(_feed, PriorityClass.Data);
    }

    /// <summary>The feed was asked and has nothing.</summary>
    public void OnAnsweredEmpty() => _isRegistered = false;

    /// <summary>Gives nothing more to the root.</summary>
    public void Close() => _feed = null;
}

using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Groups;

namespace QuickSilver.WideArea.Telling;

/// <summary>Looks at what waits of each group, and tells the site which groups are held up. A group is held up from
/// half of its limit on, until a quarter of it waits. What a site sends before it has heard of it must fit in the rest,
/// so the look comes sooner where an eighth waits. One task.</summary>
internal sealed class PressureTeller(
    SiteTelling telling, SiteGatewayOptions options, IReadOnlyList<GroupWorker> workers, GatewayLog log)
{
    private static readonly TimeSpan RepeatPause = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan LogPause = TimeSpan.FromSeconds(10);

    private readonly Dictionary<string, string> _held = [];
    private readonly Dictionary<string, long> _loggedAt = [];
    private readonly HashSet<string> _logged = [];
    private long _toldAt;

    /// <summary>Whether so much of a group waits that the next look should come soon.</summary>
    public bool IsNear { get; private set; }

    /// <summary>Tells what has changed, and again each half second while a group is held up.</summary>
    public void Tell()
    {
        bool hasChanged = Look();
        bool isDue = _held.Count > 0 && Environment.TickCount64 - _toldAt >= RepeatPause.TotalMilliseconds;
        if (!hasChanged && !isDue) return;
        // It is told again soon, so a send that is refused costs nothing.
        _ = telling.TrySend(PressureBody.Write([.. _held.Select(static one => (one.Key, one.Value))]));
        _toldAt = Environment.TickCount64;
    }

    private bool Look()
    {
        bool hasChanged = false;
        IsNear = false;
        foreach (GroupWorker worker in workers)
        {
            string name = worker.Name;
            long bytes = worker.UnreadBytes;
            IsNear |= bytes > options.MaxWaitingBytesPerGroup / 8;
            bool wasHeld = _held.TryGetValue(name, out string? before);
            bool isHeld = bytes > options.MaxWaitingBytesPerGroup / (wasHeld ? 4 : 2);
            string site = worker.Group?.SlowSite ?? before ?? "unknown";
            if (isHeld == wasHeld && (!isHeld || site == before)) continue;
            hasChanged = true;
            if (isHeld) _held[name] = site;
            else _held.Remove(name);
            if (isHeld && !wasHeld && IsToBeLogged(name))
                log.Post(logger => Log.HeldUp(logger, name, options.Site, site, bytes));
            else if (!isHeld && _logged.Remove(name))
                log.Post(logger => Log.Released(logger, name, options.Site));
        }
        return hasChanged;
    }

    // A sender that waits each time it is told is held up several times a second.
    private bool IsToBeLogged(string name)
    {
        long now = Environment.TickCount64;
        if (_loggedAt.TryGetValue(name, out long at) && now - at < LogPause.TotalMilliseconds) return false;
        _loggedAt[name] = now;
        return _logged.Add(name);
    }
}

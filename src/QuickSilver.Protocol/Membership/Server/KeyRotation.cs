using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Renews the keys of views that have lasted for long: their regions get new views of the same members, with the next
/// step. A region at its limit of unretired views waits until one has retired. Core thread only. Cost: O(unretired
/// views) a step, nothing where keys are not renewed.
/// </summary>
/// <param name="ledger">The views.</param>
/// <param name="age">How long a view's keys serve.</param>
/// <param name="probes">Hooks of simulator tests.</param>
internal sealed class KeyRotation(ViewLedger ledger, TimeSpan age, Probes probes)
{
    // The pause before keys that are too old are drawn again.
    private static readonly TimeSpan Retry = TimeSpan.FromSeconds(1);

    /// <summary>True when some keys may be due: a step is wanted.</summary>
    public bool IsWanted { get; set; }

    /// <summary>Adds the regions whose keys are due.</summary>
    public void AddDue(Instant now, List<ServerRegion> due)
    {
        if (!IsWanted) return;
        IsWanted = false;
        foreach (ServerView view in ledger.Unretired)
        {
            if (view.EndStep != 0 || now - view.Made < age) continue;
            if (view.Region.IsAtLimit) probes.Reached("a region at its limit of views waits with its new keys");
            else due.Add(view.Region);
        }
    }

    /// <summary>When keys are due next; never when there are no views.</summary>
    public Instant Next(Instant now)
    {
        Instant next = Instant.Never;
        foreach (ServerView view in ledger.Unretired)
        {
            if (view.EndStep != 0) continue;
            Instant due = view.Made + age;
            if (due <= now) due = now + Retry;
            if (due < next) next = due;
        }
        return next;
    }
}

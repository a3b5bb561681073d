using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Tests.Core;

/// <summary>A clock that stands still until it is moved.</summary>
internal sealed class ManualClock : IClock
{
    public Instant Now { get; private set; } = new(1_000_000);

    public int Reads { get; private set; }

    Instant IClock.Now
    {
        get
        {
            Reads++;
            return Now;
        }
    }

    public void Advance(TimeSpan time) => Now += time;
}

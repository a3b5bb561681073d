using QuickSilver.Membership;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

public sealed class StrangersTests
{
    /// <summary>A node whose handshake took too long calls again after a pause: a takeover waits for it.</summary>
    [Fact]
    public async Task A_handshake_that_has_just_failed_counts_for_a_moment()
    {
        var strangers = new Strangers(limit: 1, addressLimit: 1, loopbackLimit: 1);
        Assert.False(strangers.AreComing);
        strangers.OnUnsecured();
        Assert.True(strangers.AreComing);
        await NodeRig.UntilAsync(() => !strangers.AreComing, "the moment is over");
    }
}

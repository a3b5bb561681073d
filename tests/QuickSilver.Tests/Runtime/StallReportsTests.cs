using QuickSilver.Protocol.Core;
using QuickSilver.Runtime;

namespace QuickSilver.Tests.Runtime;

public sealed class StallReportsTests
{
    [Fact]
    public void Every_part_of_a_turn_is_told_by_its_name() =>
        Assert.All(Enum.GetValues<TurnPhase>(), static phase => Assert.Equal($"{phase}", $"{StallReports.ToLoopPhase(phase)}"));
}

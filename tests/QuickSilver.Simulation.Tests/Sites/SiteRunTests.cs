using QuickSilver.Testing.Sites;

namespace QuickSilver.Simulation.Tests.Sites;

/// <summary>Draws of overlays of sites that broke a promise once, and a few that never did.</summary>
public sealed class SiteRunTests
{
    [Theory]
    [InlineData(26345)] // A sender learned in one turn that members had come and that they had left.
    [InlineData(20272)] // Members left and came back before the first record of a stream that was under way.
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void ADrawKeepsAllPromises(int seed) => Assert.Null(SiteRun.Execute((ulong)seed)?.Message);
}

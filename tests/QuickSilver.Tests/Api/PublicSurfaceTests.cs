using System.Runtime.CompilerServices;

namespace QuickSilver.Tests.Api;

/// <summary>The public surface is a contract: a change of it is a change of <c>PublicSurface.txt</c>, which is
/// reviewed.</summary>
public sealed class PublicSurfaceTests
{
    [Fact]
    public void The_surface_is_as_reviewed()
    {
        string actual = PublicSurface.Describe(typeof(QuickSilverNode).Assembly);
        string reviewed = Path.Combine(Path.GetDirectoryName(File())!, "PublicSurface.txt");
        if (Environment.GetEnvironmentVariable("QUICKSILVER_UPDATE_SURFACE") == "1")
            System.IO.File.WriteAllText(reviewed, actual);
        string expected = System.IO.File.Exists(reviewed) ? System.IO.File.ReadAllText(reviewed) : "";
        string[] added = [.. actual.Split('\n').Except(expected.Split('\n'))];
        string[] removed = [.. expected.Split('\n').Except(actual.Split('\n'))];
        Assert.True(
            actual == expected,
            "The public surface has changed. Run this test with QUICKSILVER_UPDATE_SURFACE=1 and review the "
                + "difference.\n"
            + $"+ {string.Join("\n+ ", added)}\n- {string.Join("\n- ", removed)}");
    }

    [Fact]
    public void No_public_member_shows_a_type_of_the_protocol()
    {
        string surface = PublicSurface.Describe(typeof(QuickSilverNode).Assembly);
        foreach (string name in new[] { "NodeInfo", "NetEndpoint", "LocalGroup", "NodeStack", "Instant", "Slice" })
            Assert.DoesNotContain($" {name} ", surface, StringComparison.Ordinal);
    }

    private static string File([CallerFilePath] string path = "") => path;
}

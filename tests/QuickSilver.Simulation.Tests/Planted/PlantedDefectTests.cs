using QuickSilver.Simulation.Tests.Planted.Breaking;
using QuickSilver.Simulation.Tests.Planted.Defects;

namespace QuickSilver.Simulation.Tests.Planted;

/// <summary>
/// Breaks the protocol on purpose, one defect at a time: an invariant must find it within a stated number of seeds, on
/// which the unbroken protocol is clean. This is the measure of the simulator itself: invariants that never fail prove
/// nothing.
/// </summary>
public abstract class PlantedDefectTests
{
    // Each defect compiles the protocol and runs up to sixty seeds: the gate tries one in eight, a night all.
    private const int OneIn = 8;

    /// <summary>Names of defects, for a theory: all of them where QUICKSILVER_PLANTED is "all".</summary>
    internal static TheoryData<string> Names(PlantedDefect[] defects)
    {
        bool areAll = Environment.GetEnvironmentVariable("QUICKSILVER_PLANTED") == "all";
        return [.. defects.Where((_, index) => areAll || index % OneIn == 0).Select(static defect => defect.Name)];
    }

    /// <summary>Fails unless one of its invariants finds the defect.</summary>
    protected static void MustBeFound(string name)
    {
        PlantedDefect defect = PlantedDefect.Find(name);
        var copies = BrokenCopies.With(defect);
        for (int index = 0; index < defect.Within; index++)
        {
            if (copies.Run(defect.Place, index) is not [string invariant, string message]) continue;
            Assert.True(defect.Invariants.Contains(invariant), $"{name} was found by another invariant: {message}");
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"| {name} | {defect.Place} | {index + 1} | {invariant} | {message}");
            return;
        }
        Assert.Fail($"{name} was not found within {defect.Within} seeds of {defect.Place}");
    }
}

/// <summary>Each mistake of receivers and of the token ring is found.</summary>
public class PlantedInRecoveryTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(RecoveryDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake of sealing is found.</summary>
public class PlantedInSecurityTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(SecurityDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake of senders is found.</summary>
public class PlantedInSendingTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(SendingDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake in what is sent once for several regions is found.</summary>
public class PlantedInHybridTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(HybridDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake between a received packet and the application is found.</summary>
public class PlantedInDeliveryTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(DeliveryDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake in lateral groups is found.</summary>
public class PlantedInLateralTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(LateralDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake in the treatment of publishers is found.</summary>
public class PlantedInPublishersTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(PublisherDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake of the membership server and its agents is found.</summary>
public class PlantedInMembershipTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(MembershipDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake with long messages is found.</summary>
public class PlantedInLongMessagesTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(LongMessageDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake in timed groups is found.</summary>
public class PlantedInTimedTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(TimedDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake of elected servers is found.</summary>
public class PlantedInElectionTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(ElectionDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake of elections among the hosts themselves is found.</summary>
public class PlantedInPeersTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(PeerDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake in links between sites is found.</summary>
public class PlantedInSitesTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(SiteDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

/// <summary>Each mistake in ordered groups is found.</summary>
public class PlantedInOrderedTests : PlantedDefectTests
{
    public static TheoryData<string> Defects => Names(OrderedDefects.All);

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect) => MustBeFound(defect);
}

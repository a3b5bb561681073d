using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Protocol.Tests.Flow;

/// <summary>The counts come from filling real sockets on Linux 6.18: a default buffer, and 4 MiB asked for, which the
/// kernel doubles.</summary>
public sealed class KernelChargeTests
{
    private const long Default = 212_992;
    private const long FourMiB = 8_388_608;

    [Theory]
    [InlineData(64, Default, 256)]
    [InlineData(512, Default, 166)]
    [InlineData(1000, Default, 92)]
    [InlineData(1400, Default, 92)]
    [InlineData(8000, Default, 12)]
    [InlineData(64, FourMiB, 10_082)]
    [InlineData(512, FourMiB, 6_553)]
    [InlineData(1000, FourMiB, 3_640)]
    [InlineData(1400, FourMiB, 3_640)]
    [InlineData(8000, FourMiB, 504)]
    public void AsManyDatagramsFitAsWereCounted(int bytes, long buffer, int counted) =>
        AssertSafeAndClose(buffer / KernelCharge.OfDatagram(bytes), counted);

    [Theory]
    [InlineData(1000, 32, 4_578)]
    [InlineData(1000, 16, 4_578)]
    public void AsManyDatagramsOutOfTrainsFitAsWereCounted(int bytes, int train, int counted) =>
        AssertSafeAndClose(FourMiB * train / KernelCharge.OfTrain(bytes * train, bytes), counted);

    [Theory]
    [InlineData(64, 896)]
    [InlineData(208, 1280)]
    [InlineData(600, 1432)]
    [InlineData(656, 2304)]
    [InlineData(1372, 2304)]
    [InlineData(1700, 4352)]
    [InlineData(8000, 16_640)]
    [InlineData(16_000, 16_832)]
    [InlineData(32_000, 32_832)]
    [InlineData(65_000, 65_832)]
    public void OneDatagramIsChargedItsDearerForm(int bytes, int charge) =>
        Assert.Equal(charge, KernelCharge.OfDatagram(bytes));

    [Fact]
    public void ATrainOfOneIsADatagram() =>
        Assert.Equal(KernelCharge.OfDatagram(1000), KernelCharge.OfTrain(1000, 1372));

    [Fact]
    public void AShortLastDatagramCountsAsOne() => Assert.Equal((3 * 832) + 2100, KernelCharge.OfTrain(2100, 1000));

    [Theory]
    [InlineData(64)]
    [InlineData(1372)]
    [InlineData(8000)]
    [InlineData(16_000)]
    public void ATrainNeverCostsLessForOneDatagramMore(int segment)
    {
        int before = 0;
        for (int bytes = 1; bytes <= 65_000; bytes += 7)
        {
            int charge = KernelCharge.OfTrain(bytes, segment);
            Assert.True(charge >= before, $"{bytes} bytes in datagrams of {segment} cost {charge}, less than {before}");
            before = charge;
        }
    }

    [Fact]
    public void LentPacketsNeverCostLessForAByteMore()
    {
        int before = 0;
        for (int bytes = 1; bytes <= 8 * 65_493; bytes++)
        {
            int charge = KernelCharge.OfLent(bytes);
            Assert.True(charge >= before, $"{bytes} bytes lent cost {charge}, less than {before}");
            before = charge;
        }
    }

    [Theory]
    [InlineData(2, 833)]
    [InlineData(4096, 2880)]
    [InlineData(64_000, 32_832)]
    public void LentPacketsAreChargedHalfOfTheirLengthAndWhatADatagramCostsBesides(int bytes, int charge) =>
        Assert.Equal(charge, KernelCharge.OfLent(bytes));

    // On the safe side: never more than really fit; and within a tenth of it.
    private static void AssertSafeAndClose(long fit, int counted)
    {
        Assert.True(fit <= counted, $"{fit} said to fit, {counted} do");
        Assert.True(fit >= counted * 0.9, $"{fit} said to fit, {counted} do: more than a tenth too careful");
    }
}

using QuickSilver.Bench.Processes;
using QuickSilver.Security;
using QuickSilver.TestPrograms;
using QuickSilver.Tests.Processes;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Security;

/// <summary>What a system lacks or forbids, found before it ends the process.</summary>
[Collection(ProcessCollection.Name)]
public sealed class SystemLimitTests
{
    private const string Table = "Limit                     Soft Limit           Hard Limit           Units\n";
    private const string Line = "Max file size             ";

    [Fact]
    public void The_limit_of_files_is_read_from_the_table_of_the_kernel()
    {
        Assert.Equal(5_120_000, FileSizeLimit.Parse($"{Table}{Line}5120000              unlimited      bytes\n"));
        Assert.Null(FileSizeLimit.Parse($"{Table}{Line}unlimited            unlimited      bytes\n"));
        Assert.Null(FileSizeLimit.Parse(""));
    }

    [Fact]
    public async Task A_small_limit_of_files_ends_no_process()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit ends processes by a signal on Unix");
        string program = Path.Combine(AppContext.BaseDirectory, "QuickSilver.TestPrograms.dll");
        string command = string.Join(' ', ChildProcess.CommandOf(
            program,
            [
                "publish", "--port", ProgramCluster.Text(FreePort.Find()), "--count", "20", "--timeout", "60",
                "--name", "limited",
            ]));
        await using ChildProcess limited = ChildProcess.Start(
            "limited", ["bash", "-c", $"ulimit -f 5000 && exec {command}"],
            // With it the runtime makes a file in memory itself, and does not start.
            environment: new Dictionary<string, string> { ["DOTNET_EnableWriteXorExecute"] = "0" });
        int code = await limited.Exit.WaitAsync(TimeSpan.FromSeconds(90), TestContext.Current.CancellationToken);
        Assert.True(code == ExitCodes.Success, $"it ended with {code}: {limited.LastLines}");
    }

    [Fact]
    public void A_system_without_OpenSSL_is_told_what_to_install()
    {
        Assert.False(CryptoLibrary.IsFound(static _ => false));
        Assert.True(CryptoLibrary.IsFound(static name => name == "libssl.so.1.1"));
        QuickSilverException missing = CryptoLibrary.Missing();
        Assert.Equal(ErrorCode.CryptographyMissing, missing.Code);
        Assert.Contains("libssl3", missing.Message, StringComparison.Ordinal);
        CryptoLibrary.ThrowIfMissing();
    }

    [Theory]
    [InlineData(65_536, false, 65_507)]
    [InlineData(16_384, true, 9_216)]
    [InlineData(1_500, true, 1_472)]
    public void Datagrams_are_no_longer_than_the_kernel_takes(int mtu, bool isDarwin, int longest) =>
        Assert.InRange(DatagramSize.Longest(mtu, isDarwin), longest - 200, longest);
}

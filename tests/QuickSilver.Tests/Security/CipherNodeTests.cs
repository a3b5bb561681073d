using QuickSilver.Protocol.Wire;
using QuickSilver.Security;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Security;

/// <summary>Real nodes of which not all have the same ciphers.</summary>
[Collection(NodeCollection.Name)]
public sealed class CipherNodeTests
{
    private static readonly SealCiphers WithoutLibrary =
        SealCiphers.Of(SealCipher.Aes256Gcm, SealCipher.ChaCha20Poly1305);

    [Fact]
    public async Task A_node_without_libsodium_is_in_the_cluster_and_when_it_has_left_the_best_cipher_returns()
    {
        SkipWithoutAegis();
        await using var rig = new NodeRig();
        using var log = new RecordingLoggerFactory();
        (Group left, Group right) = await rig.StartPairAsync(change: BySockets);
        await UntilCipherAsync(SecurityCipher.Aegis128L, left, right);
        await ExchangeAsync("first", left, right);
        QuickSilverNode lesser = await rig.StartAsync(options =>
        {
            BySockets(options);
            options.Security.PlatformCiphers = WithoutLibrary;
            options.UseLoggerFactory(log);
        });
        Group third = await lesser.JoinAsync("group");
        await third.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        await left.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        await UntilCipherAsync(SecurityCipher.Aes256Gcm, left, right, third);
        await ExchangeAsync("second", left, right, third);
        await NodeRig.UntilAsync(() => log.Ids.Contains(1149), "the log says what is missing");
        Assert.Single(log.Ids, 1149);
        Assert.Contains(
            "AES-256-GCM, ChaCha20-Poly1305",
            log.Records.First(static record => record.Id.Id == 1140).Text,
            StringComparison.Ordinal);
        await lesser.DisposeAsync();
        await UntilCipherAsync(SecurityCipher.Aegis128L, left, right);
        await ExchangeAsync("third", left, right);
    }

    [Fact]
    public async Task One_node_that_asks_for_AES_has_all_use_it_and_nothing_is_logged_as_missing()
    {
        await using var rig = new NodeRig();
        using var log = new RecordingLoggerFactory();
        (Group left, Group right) = await rig.StartPairAsync(change: BySockets);
        QuickSilverNode third = await rig.StartAsync(options =>
        {
            BySockets(options);
            options.Security.Cipher = SecurityCipher.Aes256Gcm;
            options.UseLoggerFactory(log);
        });
        await using GroupPublisher publisher = await third.OpenPublisherAsync("group");
        await UntilCipherAsync(SecurityCipher.Aes256Gcm, left, right);
        Task<List<string>>[] reading = [NodeRig.ReadAsync(left, 1), NodeRig.ReadAsync(right, 1)];
        await publisher.SendAsync("from outside");
        foreach (Task<List<string>> read in reading)
            Assert.Equal(["from outside"], await read.WaitAsync(NodeRig.Patience));
        await NodeRig.UntilAsync(() => log.Ids.Contains(1140), "the start is logged");
        Assert.DoesNotContain(1149, log.Ids);
    }

    [Fact]
    public async Task Nodes_that_name_ciphers_of_which_none_is_common_are_refused_with_a_reason()
    {
        SkipWithoutAegis();
        await using var rig = new NodeRig();
        await rig.StartAsync(static options => options.Security.Cipher = SecurityCipher.Aegis128L);
        QuickSilverException refusal = await Assert.ThrowsAnyAsync<QuickSilverException>(
            () => rig.StartAsync(static options => options.Security.Cipher = SecurityCipher.Aes256Gcm));
        Assert.Equal(ErrorCode.NoCommonCipher, refusal.Code);
        Assert.Contains("Security.Cipher", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_cipher_that_the_platform_lacks_cannot_be_asked_for()
    {
        await using var rig = new NodeRig();
        QuickSilverException refusal = await Assert.ThrowsAnyAsync<QuickSilverException>(() => rig.StartAsync(options =>
        {
            options.Security.PlatformCiphers = WithoutLibrary;
            options.Security.Cipher = SecurityCipher.Aegis128L;
        }));
        Assert.Equal(ErrorCode.CipherUnavailable, refusal.Code);
    }

    private static void BySockets(QuickSilverOptions options) => options.Transport.SharedMemory = false;

    private static void SkipWithoutAegis() =>
        Assert.SkipUnless(CipherSuite.OfPlatform.Contains(SealCipher.Aegis128L), "this platform has no AEGIS");

    private static Task UntilCipherAsync(SecurityCipher cipher, params Group[] groups) => NodeRig.UntilAsync(
        async () =>
        {
            foreach (Group group in groups)
            {
                if ((await group.Node.GetStatisticsAsync()).Cipher != cipher) return false;
            }
            return true;
        },
        $"all seal with {cipher}");

    private static async Task ExchangeAsync(string text, params Group[] groups)
    {
        Task<List<string>>[] reading = [.. groups.Select(group => NodeRig.ReadAsync(group, groups.Length))];
        foreach (Group group in groups) await group.SendAsync(text);
        foreach (Task<List<string>> read in reading)
            Assert.Equal(Enumerable.Repeat(text, groups.Length), await read.WaitAsync(NodeRig.Patience));
        foreach (Group group in groups) await group.FlushAsync().WaitAsync(NodeRig.Patience);
    }
}

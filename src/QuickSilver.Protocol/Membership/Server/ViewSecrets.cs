using System.Diagnostics;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Security;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Draws the secrets of region views, and writes the keys frames of nodes. Each view has a secret of its own: a node
/// that has gone knows none of later views, and a node that comes none of earlier ones. The secrets of former servers'
/// views stay with their members: no node learns of such a view any more. Core thread only. Cost: two derivations for
/// each view that a node only sends to.
/// </summary>
/// <param name="suite">The cryptography.</param>
internal sealed class ViewSecrets(ICryptoSuite suite)
{
    private readonly FrameBuilder _frame = new();

    /// <summary>Draws a secret.</summary>
    public byte[] Draw()
    {
        byte[] secret = GC.AllocateArray<byte>(ICryptoSuite.KeyBytes, pinned: true);
        suite.Fill(secret);
        return secret;
    }

    /// <summary>Writes the keys of views for a node that a step opens them to.</summary>
    public byte[] Write(ServerNode node, IReadOnlyList<ServerView> opened)
    {
        _frame.Begin(FrameKind.Keys).WriteVarint((ulong)opened.Count);
        foreach (ServerView view in opened) KeysFrame.WriteEntry(_frame, view.Number, SecretFor(node, view));
        return _frame.ToArray();
    }

    private ViewSecret SecretFor(ServerNode node, ServerView view)
    {
        Debug.Assert(view.Secret is not null, "views of a sealed cluster have secrets");
        Debug.Assert(
            node.Region == view.Region || view.Sending.Contains(node.Slot),
            "the node may send in the view, or is a member of it");
        byte[] secret = view.Secret!;
        if (node.Region == view.Region) return new ViewSecret(view.Cipher, secret, null);
        byte[] own = new byte[ICryptoSuite.KeyBytes];
        byte[] gate = new byte[SipHash.KeyBytes];
        KeySchedule.Writer(suite, secret, node.Key, own);
        KeySchedule.Gate(suite, secret, gate);
        return new ViewSecret(view.Cipher, own, gate);
    }
}

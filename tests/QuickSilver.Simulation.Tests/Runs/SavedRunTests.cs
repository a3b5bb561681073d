using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulation.Tests.Runs;

/// <summary>Runs that once broke a promise, as they were saved then.</summary>
public class SavedRunTests
{
    /// <summary>
    /// leader-gone-unheard: a member that had not heard of its leader's removal took the next leader's token for an old
    /// one and dropped it; nobody noticed for seconds. skipped-member-lacks: packets were let go of because all visited
    /// members of their partition held them; the one that was skipped did not, and the others died. join-while-leaving:
    /// a join of a group whose leave still waited for the last messages overtook it; the server took it for fulfilled,
    /// and it never returned. far-member-skipped-for-good: a member was given one send a round and given up before its
    /// answer came, and the next send made the ring forget the one that was answered: nothing became stable.
    /// removed-leaders-last-round: a hop of a removed leader, sent again, was taken a second time by a member that knew
    /// the next leader, since the removed one's rank is lower. removed-as-it-ends: all else was settled at the instant
    /// a sender was removed, and survivors were compared before they could close its stream. full-sender-waits and
    /// full-sender-waits-lossy: a sender that may have two messages pending waited out the whole pause between rounds
    /// for each. survivors-without-groups and server-replaced-often: the first step of a server that took over left out
    /// what survivors had asked for, and when none of them was in a group there was nothing to make a step of; nobody
    /// tried again. forgotten-after-a-step: a node in no group was told to register again, by a server that gave its
    /// young cluster up, in the turn in which it had installed a step of that cluster; it kept the step's number,
    /// though it was of no cluster any more. removed-node-in-new-view: a node in no group was removed while it was cut
    /// off, and came to the next server under its old number; nobody reported it as removed, since no view named it any
    /// more. lead-comes-back: a member whose round somebody else's takeover had ended went on waiting for it when that
    /// leader was removed and it led again. lone-member-goes-deaf: the only other member of a view asked and asked, and
    /// read no answer; its requests counted as a sign of life. deaf-leader-of-two: a leader that was deaf began round
    /// after round; each came before the other member had given it up, so nobody was accused.
    /// others-removed-again-and-again: nodes that had nothing to do with it were removed and came back, and each time a
    /// waiting sender's time began again. full-caches-go-on: a few packets a round came into full caches, only in
    /// order, and a lossy stream was not done in five minutes. mute-member-outlives-neighbours: a mute member of a view
    /// had each new neighbour removed, and as these accused it meanwhile, the time of a sender that waited for it alone
    /// began again each time. removal-overtakes-step: a token told of a node's removal between the node's description
    /// and the step that named it; the description was dropped, and the step taken for impossible, so that the member
    /// left the cluster. rounds-longer-than-a-finding: a view had so many silent members that a round took more than
    /// two seconds, after which nobody's word on one was good. join-behind-slow-drain: messages of newer views filled
    /// what members may hold for its turn, and of the older views' packets, which had to come first and came in any
    /// order, only the very next was taken each time; joins waited for these views to drain. back-after-the-detector: a
    /// node whose connection broke for three quarters of a second was back within the grace, which was longer than the
    /// detector's period, and too late for the detector; the check on removals knew only the grace for the time that
    /// coming back takes. removal-forgotten-with-its-server: a server removed a node that was cut off, and died; of the
    /// two that it had told one crashed and the other was removed itself. No report named the removal, so the next
    /// server took the node over, rightly; the checks went on counting it as removed. late-survivor-knows-the-removed:
    /// a survivor came to a new server after another, which it had met under the old one, had come and gone; nobody
    /// told it. late-survivor-refused: a survivor came too late for its group, and was refused; those that had met it
    /// were not told that it was gone. token-in-the-installing-turn: a token was sent in the turn that installed its
    /// view, which the check on tokens came to know after the turn only. two-steps-in-one-turn: the first of two steps
    /// opened a view and the second ended it; its token was sent, and the check had seen neither.
    /// late-survivor-is-no-removal: a survivor of a lost server came seven seconds late and was refused; the check of
    /// majorities counted it among the members that the new server removed.
    /// return-behind-a-backlog: the server stood still for seven seconds, a connection broke meanwhile, and its node
    /// was back at once; but the server read that after all the rest, and the grace was over.
    /// lone-probes-lost: rounds were half a second
    /// apart; a member was mute for a second, then lost the one datagram that each round sent it.
    /// deaf-and-asking-seldom: a member alone in its view was deaf, and asked less often than it reported; so it never
    /// said that it heard nothing. own-run-of-two-steps: a node left a group and joined it again; its own message to
    /// the new view was handed over as one run with the last to the old view, lay side by side with it, and so was
    /// taken for one from before its session. done-with-a-view-opened-again: a node left a group and joined it again,
    /// so that a view ended for it and was opened again; what it had sent there became stable in between, and it said
    /// that it was done. Its server took that for void, but the next one was told so in the node's report, and had the
    /// view retire while a member could not be reached. removed-by-half: two of four nodes were cut off and removed,
    /// and the server was lost; two said that the others were removed, two that they were not, and those went that had
    /// gone on. removed-by-a-later-server: the one that had gone on came from a later server than the one that was
    /// followed, and its list was not counted. forged-note-of-an-unknown-view: its source could not be checked, and it
    /// was counted as malformed. narrow-everywhere-backlog, narrow-everywhere-large-messages: where the token alone
    /// repairs, no member asked for a packet of its own accord, and so none suspected the way.
    /// copy-of-a-lateral-packet: a sealed packet of a mode that its receiver had no group of was marked as read before
    /// its source was looked at. damaged-into-a-copy: the network made another datagram of one; the copy was refused
    /// for its source; the check of copies took the genuine one, which came later, for read twice.
    /// narrow-everywhere-stable: ways that were measured at one time took each other's answers.
    /// copy-equal-to-the-multicast: a damaged copy by unicast began like the multicast before it; the network took it
    /// for that one, and gave it that one's source. sight-lost-one-by-one: two of three nodes froze one after the
    /// other; each time one of those that were left was not seen, so the server, which awaits a majority, removed both
    /// within a detector period. last-packet-without-multicast: a stream's last packet was lost with all multicast; its
    /// receiver knew of nothing to miss, since beacons were multicast too. repair-for-all-without-multicast: as that
    /// one, where members do not ask eagerly: repairs for a whole partition were multicast as well, again and again.
    /// all-accuse-all: unicast was gone for all, everybody accused everybody, and a server that awaits a majority
    /// removed three of five in one judgement. mute-member-alone-accuses: the only node that knew of something unstable
    /// was mute; nobody else had asked anybody, so its word stood alone, and two of three were removed by it.
    /// join-that-does-not-return, view-that-keeps-a-member: the healing cut the restart of a rack down to no time, and
    /// the simulator let it end before it began, so that the server was away for good.
    /// vain-requests-without-eager-pull: a member whose requests had gone unanswered for two seconds told the token to
    /// leave its gaps to itself; without eager pull it asked for none, so nobody did. orphan-known-to-the-leader: only
    /// the leader had been told of a removed sender, and rounds could not end since a member was mute; those that found
    /// it silent had nothing to wait for themselves, and did not say so. removed-beyond-the-majority: a survivor that
    /// had registered was cut off while a majority was awaited, and removed; so a majority of fewer was enough.
    /// merged-beside-its-equal: regions were merged into one whose groups another had, which could get no further view;
    /// they got another number, and nodes of one home were in both. When one left, the other kept its groups.
    /// publisher-begins-as-a-member-moves: a member's new region was the first that the publisher knew of it, so it
    /// seemed to have come with the step, and the group's view had a higher number there than at its members.
    /// long-message-of-one-that-came-back: a simulated sender left within a long message, said nothing, and came back
    /// before a member that was cut off got the message's first pieces; that member waited for the end. The package
    /// gives up what is open before it leaves, and now the simulator does, too.
    /// timed-start-taken-up-again: a member of a timed group had given up the packet that might have shown an earlier
    /// beginning of its stay, and took the next packet in order for that one.
    /// hybrid-length-damaged: the length of a hybrid packet's list was damaged and lay beyond the datagram's end; it
    /// was counted as malformed before the list's checksum was looked at.
    /// walk-begun-by-another, walk-begun-by-another-backlog: a leader after a takeover was not the first of its
    /// partition; the first took the token that came from it for one that was back from a way around, did not begin the
    /// walk, and nobody asked for what the whole partition missed.
    /// messages-that-stay-unstable: three of five members were deaf for ever, one of them alone in a view of a former
    /// server. All who knew that view counted as its members, and one of them was accused, again and again, by a deaf
    /// one that came back; each time the time of the sender that waited for the lone member began again.
    /// shut-down-with-ordered-messages: a node was shut down while ordered messages waited for the token; their sender
    /// was told that all members held them. step-without-most-members: a server that saw few of its members let a step
    /// come into use without the others, and was lost; the next one removed those, and so more than it kept.
    /// removed-while-it-loses: in a region of 110 with losses rounds took longer than a second, and those that named
    /// nobody did not count; a member that one round had not heard seemed to be behind steadily, and was removed.
    /// view-of-a-removed-member: a token told of a removal before the step came that had been made before it; the node
    /// took keys of the removed member for that step's view, and opened its report of an ended ring.
    /// stable-to-one-that-died: a member alone knew that all held safe messages, began the next view and died; the
    /// check of transitional views compared it with those that went on without it.
    /// safe-message-not-held: a publisher's session ended with a step that was installed and not yet active; its
    /// message was taken in the step before, its level was no longer known, and it was sent as agreed.
    /// </summary>
    [Theory]
    [InlineData("leader-gone-unheard")]
    [InlineData("merged-beside-its-equal")]
    [InlineData("long-message-of-one-that-came-back")]
    [InlineData("timed-start-taken-up-again")]
    [InlineData("hybrid-length-damaged")]
    [InlineData("messages-that-stay-unstable")]
    [InlineData("walk-begun-by-another")]
    [InlineData("walk-begun-by-another-backlog")]
    [InlineData("copy-equal-to-the-multicast")]
    [InlineData("removed-by-half")]
    [InlineData("all-accuse-all")]
    [InlineData("removed-beyond-the-majority")]
    [InlineData("mute-member-alone-accuses")]
    [InlineData("repair-for-all-without-multicast")]
    [InlineData("sight-lost-one-by-one")]
    [InlineData("last-packet-without-multicast")]
    [InlineData("removed-by-a-later-server")]
    [InlineData("skipped-member-lacks")]
    [InlineData("join-while-leaving")]
    [InlineData("far-member-skipped-for-good")]
    [InlineData("removed-leaders-last-round")]
    [InlineData("full-sender-waits")]
    [InlineData("full-sender-waits-lossy")]
    [InlineData("removed-as-it-ends")]
    [InlineData("survivors-without-groups")]
    [InlineData("forgotten-after-a-step")]
    [InlineData("removed-node-in-new-view")]
    [InlineData("server-replaced-often")]
    [InlineData("lead-comes-back")]
    [InlineData("lone-member-goes-deaf")]
    [InlineData("deaf-leader-of-two")]
    [InlineData("others-removed-again-and-again")]
    [InlineData("full-caches-go-on")]
    [InlineData("mute-member-outlives-neighbours")]
    [InlineData("removal-overtakes-step")]
    [InlineData("rounds-longer-than-a-finding")]
    [InlineData("join-behind-slow-drain")]
    [InlineData("back-after-the-detector")]
    [InlineData("two-servers-of-one-term")]
    [InlineData("two-servers-follow-one")]
    [InlineData("removal-forgotten-with-its-server")]
    [InlineData("late-survivor-knows-the-removed")]
    [InlineData("late-survivor-refused")]
    [InlineData("token-in-the-installing-turn")]
    [InlineData("two-steps-in-one-turn")]
    [InlineData("late-survivor-is-no-removal")]
    [InlineData("return-behind-a-backlog")]
    [InlineData("deaf-nodes-come-back")]
    [InlineData("heartbeats-behind-a-backlog")]
    [InlineData("first-of-a-session-lost")]
    [InlineData("lone-probes-lost")]
    [InlineData("deaf-and-asking-seldom")]
    [InlineData("own-run-of-two-steps")]
    [InlineData("done-with-a-view-opened-again")]
    [InlineData("forged-note-of-an-unknown-view")]
    [InlineData("join-that-does-not-return")]
    [InlineData("publisher-begins-as-a-member-moves")]
    [InlineData("view-that-keeps-a-member")]
    [InlineData("vain-requests-without-eager-pull")]
    [InlineData("orphan-known-to-the-leader")]
    [InlineData("narrow-everywhere-backlog")]
    [InlineData("narrow-everywhere-large-messages")]
    [InlineData("narrow-everywhere-stable")]
    [InlineData("copy-of-a-lateral-packet")]
    [InlineData("damaged-into-a-copy")]
    [InlineData("shut-down-with-ordered-messages")]
    [InlineData("step-without-most-members")]
    [InlineData("removed-while-it-loses")]
    [InlineData("view-of-a-removed-member")]
    [InlineData("stable-to-one-that-died")]
    [InlineData("safe-message-not-held")]
    [InlineData("train-that-outlives-its-keys", Explicit = true)]
    public void EveryPromiseIsKept(string name)
    {
        SavedRun saved = RunFiles.Load(Path.Combine(AppContext.BaseDirectory, "Runs", "Saved", name + ".json"));
        RunResult result = RunExecution.Execute(saved.Spec);
        Assert.True(result.Violation is null, result.Violation?.Message);
    }
}

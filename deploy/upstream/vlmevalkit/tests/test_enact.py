import math
import unittest

from vlmeval.dataset.utils.enact import kind_of, mean, own_steps, read_order, score


class TestEnactScoring(unittest.TestCase):
    def test_last_bracket_counts(self):
        self.assertEqual(read_order('not [1, 2, 3] but [3, 1, 2]', 3), [3, 1, 2])

    def test_labels_start_at_one(self):
        self.assertEqual(read_order('[2, 0, 1]', 3), [3, 1, 2])

    def test_too_long_bracket_keeps_its_end(self):
        self.assertEqual(read_order('[9, 9, 2, 1]', 2), [2, 1])

    def test_digits_of_the_text_when_there_is_no_list(self):
        self.assertEqual(read_order('2, then 1', 2), [2, 1])
        self.assertEqual(read_order('[ ] 2 1', 2), [2, 1])

    def test_no_number_is_in_no_mean(self):
        self.assertEqual(set(score('I cannot tell.', 'forward', [1, 2]).values()), {None})
        self.assertTrue(math.isnan(mean([None, None])))
        self.assertEqual(mean([1.0, None, 0.0]), 0.5)

    def test_without_evidence_only_the_reference_is_known(self):
        found = score('[2, 1, 3]', 'inverse', [2, 3, 1])
        self.assertEqual(found['exact_match'], 0.0)
        self.assertAlmostEqual(found['exact_pairwise'], 1 / 3)
        self.assertIsNone(found['task_accuracy'])

    def test_evidence_accepts_another_order(self):
        evidence = own_steps('inverse', [2, 3, 1])
        evidence['passes'] = {'2': [1, 2], '3': [1, 2], '1': [3]}
        found = score('[3, 2, 1]', 'inverse', [2, 3, 1], evidence)
        self.assertEqual((found['exact_match'], found['task_accuracy']), (0.0, 1.0))

    def test_short_answers_are_aligned(self):
        evidence = own_steps('forward', [1, 2, 3])
        found = score('[1, 2]', 'forward', [1, 2, 3], evidence)
        self.assertEqual(found['task_accuracy'], 0.0)
        self.assertAlmostEqual(found['pairwise_accuracy'], 2 / 3)

    def test_pair_on_which_the_release_fails(self):
        evidence = {**own_steps('forward', [1, 2]), 'raises': ['2>1']}
        self.assertEqual(score('[2, 1]', 'forward', [1, 2], evidence)['pairwise_accuracy'], 0.0)

    def test_kinds(self):
        self.assertEqual(kind_of('inverse_world_modeling_ordering_3_steps'), 'inverse')
        self.assertEqual(kind_of('forward_world_modeling_ordering_3_steps'), 'forward')


if __name__ == '__main__':
    unittest.main()
